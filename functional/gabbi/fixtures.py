"""What has to be in a Placement before a file of its own test suite runs.

The suite's files name their fixtures; the suite's own ones write to Placement's database. Here each is a description of
providers and claims, made by HTTP calls alone, so that any Placement will do. Variables that the files use are environment
variables.
"""

import json
import os
import urllib.request
import uuid

SHARES = "MISC_SHARES_VIA_AGGREGATE"


def fresh(*names):
    """Sets environment variables to new uuids."""
    for name in names:
        os.environ[name] = str(uuid.uuid4())


class Api:
    """Calls of one Placement as the administrator."""

    def __init__(self, url):
        self.url = url

    def call(self, method, path, body=None, version="1.20"):
        headers = {
            "X-Auth-Token": "admin",
            "OpenStack-API-Version": "placement " + version,
            "Content-Type": "application/json",
        }
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data, headers, method=method)
        with urllib.request.urlopen(request, timeout=30) as response:
            text = response.read()
        return json.loads(text) if text else None

    def provider(self, env, name, parent=None, aggregates=(), traits=(), inventory=None, uuid_=None):
        """Makes a provider and puts its uuid in the variable env, if any. parent and aggregates are variables.

        The generation of the provider afterwards is the number of its classes, plus one if it has traits.
        """
        body = {"name": name, "uuid": uuid_ or str(uuid.uuid4())}
        if parent:
            body["parent_provider_uuid"] = os.environ[parent]
        self.call("POST", "/resource_providers", body)
        path = "/resource_providers/" + body["uuid"]
        if env:
            os.environ[env] = body["uuid"]
        if aggregates:  # before 1.19 this leaves the generation alone
            self.call("PUT", path + "/aggregates", [os.environ[a] for a in aggregates], "1.18")
        for name, stock in (inventory or {}).items():
            self.stock(path, name, stock)
        if traits:
            self.decorate(path, traits)

    def stock(self, path, name, stock):
        """Adds an inventory: its total, or a dict of fields. The largest single claim is all of it, unless said."""
        if name.startswith("CUSTOM_"):
            self.call("PUT", "/resource_classes/" + name)
        fields = stock if isinstance(stock, dict) else {"total": stock}
        body = {"resource_class": name, "max_unit": fields["total"], **fields}
        self.call("POST", path + "/inventories", body)

    def decorate(self, path, traits):
        for trait in traits:
            if trait.startswith("CUSTOM_"):
                self.call("PUT", "/traits/" + trait)
        generation = self.call("GET", path)["generation"]
        self.call("PUT", path + "/traits", {"resource_provider_generation": generation, "traits": list(traits)})

    def claim(self, provider, user, project, resources):
        """A new consumer, without a type, claims resources of the provider in a variable. Returns the consumer."""
        consumer = str(uuid.uuid4())
        body = {
            "allocations": {os.environ[provider]: {"resources": resources}},
            "project_id": project,
            "user_id": user,
            "consumer_generation": None,
        }
        self.call("PUT", "/allocations/" + consumer, body, "1.28")
        return consumer


def empty(api):
    """Nothing but the variables that all files may use."""
    fresh("RP_UUID", "RP_NAME", "RP_UUID1", "RP_NAME1", "RP_UUID2", "RP_NAME2")
    fresh("PARENT_PROVIDER_UUID", "ALT_PARENT_PROVIDER_UUID")
    fresh("PROJECT_ID", "PROJECT_ID_ALT", "ADMIN_PROJECT_ID", "SERVICE_PROJECT_ID", "USER_ID", "USER_ID_ALT")
    fresh("INSTANCE_UUID", "MIGRATION_UUID", "CONSUMER_UUID")
    for suffix in ("", "1", "2"):
        os.environ["CUSTOM_RES_CLASS" + suffix] = "CUSTOM_IRON_NFV" + suffix


def allocations(api):
    """One provider, two consumers of one user and one of another."""
    empty(api)
    fresh("ALT_USER_ID", "ALT_RP_UUID", "ALT_RP_NAME")
    disk = {"total": 2048, "step_size": 10, "min_unit": 10, "max_unit": 1000}
    api.provider(
        "RP_UUID", os.environ["RP_NAME"], uuid_=os.environ["RP_UUID"], inventory={"DISK_GB": disk, "VCPU": 10}
    )
    user, other, project = (os.environ[v] for v in ("USER_ID", "ALT_USER_ID", "PROJECT_ID"))
    os.environ["CONSUMER_0"] = api.claim("RP_UUID", user, project, {"DISK_GB": 1000})
    os.environ["CONSUMER_ID"] = api.claim("RP_UUID", user, project, {"VCPU": 6})
    os.environ["ALT_CONSUMER_ID"] = api.claim("RP_UUID", other, project, {"DISK_GB": 20, "VCPU": 1})


SHARED_DISK = {"total": 2000, "reserved": 100, "allocation_ratio": 1.0}
MANY_CPUS = {"total": 24, "allocation_ratio": 16.0}


def shared_storage(api):
    """Two hosts, one with a disk of its own, with NUMA nodes and network devices; two disks shared with both."""
    empty(api)
    fresh("AGG_UUID")
    host = {"VCPU": MANY_CPUS, "MEMORY_MB": {"total": 131072, "allocation_ratio": 1.5}}
    agg = ["AGG_UUID"]
    api.provider("CN1_UUID", "cn1", None, agg, ["HW_CPU_X86_SSE", "HW_CPU_X86_SSE2"], host)
    api.provider("CN2_UUID", "cn2", None, agg, inventory={**host, "DISK_GB": SHARED_DISK})
    for disk in ("ss", "ss2"):
        api.provider(disk.upper() + "_UUID", disk, None, agg, [SHARES], {"DISK_GB": SHARED_DISK})
    for place in ("1_1", "1_2", "2_1", "2_2"):
        numa = f"NUMA{place}_UUID"
        api.provider(numa, "numa" + place, f"CN{place[0]}_UUID")
        api.provider(f"PF{place}_UUID", "pf" + place, numa, inventory={"SRIOV_NET_VF": 8})


def numa_aggregates(api):
    """Two hosts whose processors are in NUMA nodes; one disk shared with both, one with a single NUMA node."""
    empty(api)
    fresh("AGGA_UUID", "AGGB_UUID", "AGGC_UUID")
    api.provider("CN1_UUID", "cn1", aggregates=["AGGA_UUID"])
    api.provider("CN2_UUID", "cn2", aggregates=["AGGA_UUID", "AGGB_UUID"])
    for disk, agg in (("ss1", "AGGA_UUID"), ("ss2", "AGGC_UUID")):
        api.provider(disk.upper() + "_UUID", disk, None, [agg], [SHARES], {"DISK_GB": SHARED_DISK})
    for place in ("1_1", "1_2", "2_1", "2_2"):
        aggregates = ["AGGC_UUID"] if place == "1_1" else []
        api.provider(
            f"NUMA{place}_UUID", "numa" + place, f"CN{place[0]}_UUID", aggregates, inventory={"VCPU": MANY_CPUS}
        )


def numa_network(api, above=(None, None)):
    """A host with devices in its NUMA nodes and under network agents, and one with network cards."""
    if above == (None, None):
        empty(api)
    fresh("AGGA_UUID")
    agg = ["AGGA_UUID"]
    api.provider("SS1_UUID", "ss1", None, agg, [SHARES], {"DISK_GB": 2000})
    api.provider("CN1_UUID", "cn1", above[0], agg, ["COMPUTE_VOLUME_MULTI_ATTACH"])
    numa_nodes(api)
    agents(api)

    memory = {"total": 2048, "min_unit": 1024, "step_size": 128}
    api.provider(
        "CN2_UUID", "cn2", above[1], agg, ["CUSTOM_FOO"], {"VCPU": 8, "MEMORY_MB": memory, "DISK_GB": 1000}
    )
    api.claim("CN2_UUID", "numafx-user", "numafx-project", {"VCPU": 3})
    for nic, functions, networks in ((1, 4, (1, 2)), (2, 2, (1, 2, 1, 2)), (3, 8, (1,))):
        card = f"NIC{nic}_UUID"
        api.provider(card, f"nic{nic}", "CN2_UUID", traits=["CUSTOM_HW_NIC_ROOT"])
        for i, network in enumerate(networks, 1):
            api.provider(
                f"PF{nic}_{i}_UUID",
                f"pf{nic}_{i}",
                card,
                traits=[f"CUSTOM_PHYSNET{network}"],
                inventory={"CUSTOM_VF": functions},
            )


def numa_nodes(api):
    memory = (
        {"total": 2048, "min_unit": 512, "step_size": 256},
        {"total": 2048, "min_unit": 256, "max_unit": 1024},
    )
    for i, traits in enumerate((["HW_NUMA_ROOT"], ["HW_NUMA_ROOT", "CUSTOM_FOO"])):
        api.provider(f"NUMA{i}_UUID", f"numa{i}", "CN1_UUID", (), traits, {"VCPU": 4, "MEMORY_MB": memory[i]})
    api.claim("NUMA0_UUID", "numafx-user", "numafx-project", {"VCPU": 2})
    api.provider("PGPU0_UUID", "pgpu0", "NUMA0_UUID", inventory={"VGPU": 8})
    for fpga, numa in (("0", 0), ("1_0", 1), ("1_1", 1)):
        api.provider(f"FPGA{fpga}_UUID", "fpga" + fpga, f"NUMA{numa}_UUID", inventory={"CUSTOM_FPGA": 1})


def agents(api):
    api.provider("SRIOV_AGENT_UUID", "sriov_agent", "CN1_UUID", traits=["CUSTOM_VNIC_TYPE_DIRECT"])
    api.provider("OVS_AGENT_UUID", "ovs_agent", "CN1_UUID", traits=["CUSTOM_VNIC_TYPE_NORMAL"])
    for env, name, agent, network, width in (
        ("ESN1_UUID", "esn1", "SRIOV_AGENT_UUID", 1, 10000),
        ("ESN2_UUID", "esn2", "SRIOV_AGENT_UUID", 2, 20000),
        ("BR_INT_UUID", "br_int", "OVS_AGENT_UUID", 0, 1000),
    ):
        traits = [f"CUSTOM_PHYSNET{network}"]
        api.provider(env, name, agent, (), traits, {"NET_BW_EGR_KILOBIT_PER_SEC": width})


def deep_numa_network(api):
    """The same two hosts, below parents of one grandparent."""
    empty(api)
    api.provider("GP1_UUID", "gp1")
    api.provider("P1_UUID", "p1", "GP1_UUID")
    api.provider("P2_UUID", "p2", "GP1_UUID")
    numa_network(api, ("P1_UUID", "P2_UUID"))


def local_storage(api):
    """Three equal hosts with disks of their own."""
    empty(api)
    fresh("AGGA_UUID", "AGGB_UUID", "AGGC_UUID")
    for i in (1, 2, 3):
        inventory = {"VCPU": 24, "MEMORY_MB": 131072, "DISK_GB": 2000}
        api.provider(f"CN{i}_UUID", f"cn{i}", inventory=inventory)


def granular(api):
    """Three hosts and three sharing providers in overlapping aggregates."""
    empty(api)
    fresh("AGGA", "AGGB", "AGGC")
    host = {"VCPU": 8, "MEMORY_MB": 4096}
    network = {"SRIOV_NET_VF": 8, "CUSTOM_NET_MBPS": 4000}
    avx = ["HW_CPU_X86_AVX", "HW_CPU_X86_AVX2"]
    for name, aggregates, traits, inventory in (
        (
            "cn_left",
            ["AGGA"],
            [*avx, "HW_GPU_API_DXVA", "HW_NIC_DCB_PFC", "CUSTOM_FOO"],
            {**host, **network, "DISK_GB": 500, "VGPU": 8},
        ),
        ("cn_middle", ["AGGA", "AGGB"], [*avx, "HW_CPU_X86_SSE", "HW_NIC_ACCEL_TLS"], {**host, **network}),
        (
            "cn_right",
            ["AGGB", "AGGC"],
            ["HW_CPU_X86_MMX", "HW_GPU_API_DXVA", "CUSTOM_DISK_SSD"],
            {**host, "DISK_GB": 500, "VGPU": {"total": 8, "max_unit": 2}},
        ),
        ("shr_disk_1", ["AGGA"], [SHARES, "CUSTOM_DISK_SSD"], {"DISK_GB": 1000}),
        ("shr_disk_2", ["AGGA", "AGGB"], [SHARES], {"DISK_GB": 1000}),
        ("shr_net", ["AGGC"], [SHARES], {"SRIOV_NET_VF": 16, "CUSTOM_NET_MBPS": 40000}),
    ):
        api.provider(name.upper(), name, None, aggregates, traits, inventory)


def multi_segment(api):
    """Four hosts with a switch agent and a NIC agent each; the physical networks are those of their ports."""
    empty(api)
    for host, bridge, card, networks in (
        ("compute0", 5000, 10000, ["OTHER"]),
        ("compute1", 5000, 10000, ["MSN_S1"]),
        ("compute2", 5000, 10000, ["MSN_S2"]),
        ("compute3", 1000, 1000, ["MSN_S1", "MSN_S2"]),
    ):
        api.provider(host, host, inventory={"VCPU": 8, "MEMORY_MB": 4096, "DISK_GB": 500})
        normal = ["CUSTOM_VNIC_TYPE_NORMAL"]
        direct = ["CUSTOM_VNIC_TYPE_DIRECT", "CUSTOM_VNIC_TYPE_DIRECT_PHYSICAL", "CUSTOM_VNIC_TYPE_MACVTAP"]
        ovs, sriov = host + ":ovs_agent", host + ":sriov_agent"
        packets = {"NET_PACKET_RATE_KILOPACKET_PER_SEC": 1000}
        api.provider(ovs, host + ":Open vSwitch agent", host, (), normal, packets)
        api.provider(sriov, host + ":NIC Switch agent", host, (), direct)
        for i, network in enumerate(networks):
            physnet = ["CUSTOM_PHYSNET_" + network]
            number = "2" if i else ""
            name = f"{host}:Open vSwitch agent:br-ex{number}"
            api.provider(f"{host}:br_ex{number}", name, ovs, (), normal + physnet, bandwidth(bridge))
            name = f"{host}:NIC Switch agent:enp129s0f{i}"
            api.provider(f"{host}:pf{i}", name, sriov, (), direct + physnet, bandwidth(card))


def bandwidth(kilobits):
    return {"NET_BW_EGR_KILOBIT_PER_SEC": kilobits, "NET_BW_IGR_KILOBIT_PER_SEC": kilobits}


# The names that the suite's files use. Its other fixtures change the configuration of the service (policies, CORS), which
# no HTTP call can do.
BY_NAME = {
    "APIFixture": empty,
    "AllocationFixture": allocations,
    "SharedStorageFixture": shared_storage,
    "NUMAAggregateFixture": numa_aggregates,
    "NUMANetworkFixture": numa_network,
    "DeepNUMANetworkFixture": deep_numa_network,
    "NonSharedStorageFixture": local_storage,
    "GranularFixture": granular,
    "NeutronQoSMultiSegmentFixture": multi_segment,
}
