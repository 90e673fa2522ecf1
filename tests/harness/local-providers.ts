import { PROVIDER_ENDPOINTS } from '../../server/integrations/provider-request.ts'

const address = process.env.LOCAL_PARTY
if (!address) throw new Error('expected LOCAL_PARTY to say where the party of the test is, found nothing')

/** Preloaded into the program: GitHub and LINUX DO then stand on this machine. */
for (const localProvider of ['github', 'linuxdo'] as const)
  Object.assign(PROVIDER_ENDPOINTS[localProvider], {
    tokenUrl: `${address}/${localProvider}/token`,
    userUrl: `${address}/${localProvider}/user`,
  })
