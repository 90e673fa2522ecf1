import { join } from 'node:path'
import { createOpenIdProvider, createScimToken, OPENID_PATHS } from '#features/oauth/contract/openid.ts'
import { CLIENT_ID, openScriptedProvider } from '#features/oauth/server/testing/scripted-provider.ts'
import { PROJECT } from '../../harness/program.ts'
import { setOptions } from '../../harness/set-options.ts'
import { startSite } from '../../harness/start-site.ts'
import { installClient } from '../install-clients.ts'

const PACKAGES = [
  { registry: 'pypi', name: 'scim2-tester', version: '0.5.2' },
  { registry: 'pypi', name: 'scim2-client', version: '0.13.2' },
  { registry: 'pypi', name: 'scim2-models', version: '0.12.3' },
  { registry: 'pypi', name: 'httpx2', version: '2.16.2' },
] as const

const clients = await installClient('scim', PACKAGES)
const provider = await openScriptedProvider()
const site = await startSite({ environment: { EGRESS_ALLOWED: '127.0.0.1' } })
try {
  await setOptions(site.root, { ServerAddress: site.gateway.url })
  const about = { slug: 'company', name: 'Company', issuer: provider.url, client_id: CLIENT_ID }
  await site.root.call(createOpenIdProvider, {
    body: { ...about, client_secret: 'secret', is_enabled: true, provisioning: 'everyone' },
  })
  const { token } = await site.root.call(createScimToken, { params: { slug: 'company' } })
  const program = Bun.spawn(
    [join(clients, 'venv', 'bin', 'python'), join(PROJECT, 'tests', 'agents', 'judges', 'scim.py')],
    {
      env: { ...process.env, SCIM_URL: site.gateway.url + OPENID_PATHS.scim, SCIM_TOKEN: token },
      stdio: ['ignore', 'inherit', 'inherit'],
    },
  )
  process.exitCode = await program.exited
} finally {
  await site.stop()
  await provider.close()
}
