import { z } from 'zod'
import { askParty, type Outside } from './ask-party.ts'
import { type Identity, refuseIdentity } from './identity.ts'

const party = 'WeChat'

const Told = z.object({ success: z.boolean(), data: z.string() })

interface WechatServer {
  readonly address: string
  readonly token: string
}

/** Asks the operator's WeChat server whose code this is. */
export async function askWechat(
  code: string,
  { address, token }: WechatServer,
  outside: Outside,
): Promise<Identity> {
  const url = `${address}/api/wechat/user?code=${encodeURIComponent(code)}`
  const told = Told.safeParse(
    await askParty({ party, method: 'GET', url, headers: { authorization: token } }, outside),
  )
  if (!told.success || !told.data.success || told.data.data === '')
    throw refuseIdentity('code_wrong', { party })
  return { id: told.data.data, name: '', email: '' }
}
