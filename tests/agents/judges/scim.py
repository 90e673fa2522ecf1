"""scim2-tester on the SCIM service of a gateway. Exits with 1 when a check fails."""

import os
import sys

import httpx2
from scim2_client.engines.httpx2 import SyncSCIMClient
from scim2_tester import check_server

TIMEOUT_SECONDS = 60

headers = {"Authorization": f"Bearer {os.environ['SCIM_TOKEN']}"}
client = httpx2.Client(base_url=os.environ["SCIM_URL"], headers=headers, timeout=TIMEOUT_SECONDS)
results = list(check_server(SyncSCIMClient(client)))
failed = [result for result in results if result.status.name in ("ERROR", "CRITICAL")]
for result in failed:
    print(result.status.name, result.title, result.reason or "")
print(f"{len(results)} checks, {len(failed)} failed")
sys.exit(1 if failed or not results else 0)
