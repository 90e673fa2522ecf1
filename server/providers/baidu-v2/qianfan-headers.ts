import type { AdapterCall } from '../../provider-kit/contract/operation-adapter.ts'

/** The key may name an application after a bar: `bce-v3/ALTAK-…|app-…`. */
export function qianfanHeaders({ channel }: Pick<AdapterCall<unknown>, 'channel'>): Record<string, string> {
  const [key = '', appId] = channel.key.split('|')
  return {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    ...(appId && { appid: appId }),
  }
}
