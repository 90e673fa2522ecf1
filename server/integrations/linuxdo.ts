import { z } from 'zod'
import { askParty, type Outside } from './ask-party.ts'
import { type Identity, refuseIdentity } from './identity.ts'
import type { PartyClient, TokenParty } from './parties.ts'

const party = 'Linux DO'

const Token = z.object({ access_token: z.string().min(1) })
const Person = z.object({
  id: z.number().int().positive(),
  username: z.string().nullish(),
  name: z.string().nullish(),
})

export interface LinuxdoCode {
  readonly code: string
  /** The page that Linux DO sends people back to; empty when this installation does not know its own address. */
  readonly redirectUri: string
}

/** Trades a code for the identity at Linux DO. */
export async function askLinuxdo(
  { code, redirectUri }: LinuxdoCode,
  { clientId, clientSecret }: PartyClient,
  { tokenUrl, userUrl }: TokenParty,
  outside: Outside,
): Promise<Identity> {
  const body = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    ...(redirectUri && { redirect_uri: redirectUri }),
  }).toString()
  const headers = {
    accept: 'application/json',
    'content-type': 'application/x-www-form-urlencoded',
    authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
  }
  const traded = Token.safeParse(
    await askParty({ party, method: 'POST', url: tokenUrl, headers, body }, outside),
  )
  if (!traded.success) throw refuseIdentity('code_wrong', { party })
  const bearer = { accept: 'application/json', authorization: `Bearer ${traded.data.access_token}` }
  const told = Person.safeParse(
    await askParty({ party, method: 'GET', url: userUrl, headers: bearer }, outside),
  )
  if (!told.success) throw refuseIdentity('code_wrong', { party })
  const { id, name, username } = told.data
  return { id: String(id), name: name || username || '', email: '' }
}
