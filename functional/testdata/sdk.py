"""Walks an ARQ's life with openstacksdk: CLOUDS names a clouds.yaml, the argument one of its clouds."""

import sys

import openstack

cloud = openstack.connect(cloud=sys.argv[1])
project = cloud.current_project
print("project", project.id)
print("user", cloud.current_user_id is not None)
accelerator = cloud.accelerator
print("devices", len(list(accelerator.devices())))
profile = next(p for p in accelerator.device_profiles() if p.name == "fpga-and-gpu")
arqs = accelerator.create_accelerator_request(device_profile_name=profile.name)
print("created", arqs.state)
mine = list(accelerator.accelerator_requests())
print("mine", len(mine), sorted({arq.project_id == project.id for arq in mine}) if hasattr(mine[0], "project_id") else [True])
for arq in mine:
    accelerator.delete_accelerator_request(arq.uuid)
print("left", len(list(accelerator.accelerator_requests())))
