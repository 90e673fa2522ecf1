import { PROVIDER_ENDPOINTS } from '#server/http-client/provider-request.ts'

const address = process.env.LOCAL_PROVIDER
if (!address) throw new Error('LOCAL_PROVIDER must hold the URL of the local identity provider')

/** Preloaded into the gateway: sends requests for GitHub and LINUX DO to a local server. */
for (const localProvider of ['github', 'linuxdo'] as const)
  Object.assign(PROVIDER_ENDPOINTS[localProvider], {
    tokenUrl: `${address}/${localProvider}/token`,
    userUrl: `${address}/${localProvider}/user`,
  })
