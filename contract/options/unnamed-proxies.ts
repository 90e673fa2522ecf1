import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { textField } from '../fields.ts'

/** Apart from the other options, because the banner on every page asks for it. */
export const listUnnamedProxies = endpoint({
  method: 'GET',
  path: '/api/option/unnamed_proxies',
  role: 'root',
  summary: 'List proxies that `TRUSTED_PROXIES` does not name',
  description:
    'Private addresses that sent requests with forwarding headers within the last hour, as this process has seen them. All visitors behind such a proxy share its address.',
  reply: z.array(textField('Address of the proxy.', '172.18.0.1')),
})
