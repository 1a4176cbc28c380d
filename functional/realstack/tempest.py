"""What tempest.sh needs of the cloud; run with the chroot's own openstacksdk, by the admin.

tempest.py prepare CYBORG     images, a device profile and flavors that ask for it; prints the settings of tempest.conf that name them
tempest.py leftovers CYBORG   exit 1, with what is left, unless no server, no ARQ and no accelerator is in use
"""
import os
import sys

import openstack

PROFILE = "tempest-one"
GROUP = {"resources:FPGA": "1", "trait:CUSTOM_FAKE_DEVICE": "required"}


def images(conn):
    """Nova's fake driver starts anything."""
    for name in ("tempest-image", "tempest-image-alt"):
        found = list(conn.image.images(name=name))
        yield (found[0] if found else conn.image.create_image(
            name, data=b"\0" * 65536, disk_format="raw", container_format="bare", visibility="public", allow_duplicates=True)).id


def flavors(conn):
    """Equal ones: Nova does not resize servers with accelerators."""
    for name in ("tempest-flavor", "tempest-flavor-alt"):
        flavor = conn.compute.find_flavor(name)
        if not flavor:
            flavor = conn.compute.create_flavor(name=name, ram=64, vcpus=1, disk=1)
            conn.compute.create_flavor_extra_specs(flavor, {"accel:device_profile": PROFILE})
        yield flavor.id


def prepare(conn):
    if not any(profile.name == PROFILE for profile in conn.accelerator.device_profiles()):
        conn.accelerator.create_device_profile(name=PROFILE, groups=[GROUP])
    image, other_image = images(conn)
    flavor, other_flavor = flavors(conn)
    print("image_ref = %s\nimage_ref_alt = %s\nflavor_ref = %s\nflavor_ref_alt = %s" % (image, other_image, flavor, other_flavor))


def leftovers(conn):
    left = ["server %s %s" % (server.name, server.status) for server in conn.compute.servers(all_projects=True)]
    left += ["ARQ %s %s" % (arq.uuid, arq.state) for arq in conn.accelerator.accelerator_requests()]
    for provider in conn.placement.resource_providers():
        usages = conn.placement.get("/resource_providers/%s/usages" % provider.id).json()["usages"]
        left += ["%d %s in use at %s" % (used, kind, provider.name) for kind, used in usages.items() if used]
    return left


if __name__ == "__main__":
    step, cyborg = sys.argv[1:]
    conn = openstack.connect(accelerator_endpoint_override=cyborg)
    if step == "prepare":
        prepare(conn)
    elif step == "leftovers":
        sys.exit("\n".join(leftovers(conn)) or 0)
