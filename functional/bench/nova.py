"""Times Nova's own functions. Reads "QUESTION ROUNDS" from standard input, a line each, and answers with nanoseconds and what came of it."""
import sys
import time

from nova import config, context, objects
from nova.accelerator import cyborg
from nova.scheduler import utils

GROUP = {"resources:FPGA": "1", "trait:CUSTOM_FPGA_INTEL": "required"}
HOST = "00000000-0000-4000-8000-000000000000"


def card(number):
    return "00000000-0000-4000-8000-%012d" % (number + 1)


def make_spec(groups):
    flavor = objects.Flavor(
        name="gpu", vcpus=4, memory_mb=8192, root_gb=20, ephemeral_gb=0, swap=0,
        extra_specs={"accel:device_profile": "gpu", "group_policy": "none"})
    # what its constructor would log in to is not asked
    client = object.__new__(cyborg._CyborgClient)
    return objects.RequestSpec(
        context=context.RequestContext(), flavor=flavor, is_bfv=False,
        requested_resources=client.get_device_request_groups([GROUP] * groups, None),
        request_level_params=objects.RequestLevelParams(
            root_required={"COMPUTE_ACCELERATORS"}, root_forbidden={"COMPUTE_STATUS_DISABLED"}))


def query(groups):
    return lambda: utils.ResourceRequest.from_request_spec(make_spec(groups)).to_querystring()


def search(groups):
    spec = make_spec(groups)
    allocation = {HOST: {"resources": {"VCPU": 4, "MEMORY_MB": 8192, "DISK_GB": 20}}}
    traits = {HOST: ["COMPUTE_ACCELERATORS"]}
    for number in range(groups):
        allocation[card(number)] = {"resources": {"FPGA": 1}}
        traits[card(number)] = ["CUSTOM_FPGA_INTEL", "OWNER_CYBORG"]

    def run():
        spec.map_requested_resources_to_providers(allocation, traits)
        found = spec.get_request_group_mapping()
        return "".join("%s=%s;" % (group, ",".join(providers)) for group, providers in found.items())
    return run


def main():
    config.parse_args(["bench"], default_config_files=[])
    objects.register_all()
    questions = {}
    for line in sys.stdin:
        kind, groups, rounds = line.split()
        if line not in questions:
            questions[line] = {"query": query, "match": search}[kind](int(groups))
        work = questions[line]
        start = time.perf_counter_ns()
        for _ in range(int(rounds)):
            answer = work()
        print(time.perf_counter_ns() - start, answer, flush=True)


main()
