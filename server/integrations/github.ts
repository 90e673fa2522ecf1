import { z } from 'zod'
import { askParty, type Outside } from './ask-party.ts'
import { type Identity, refuseIdentity } from './identity.ts'
import type { PartyClient, TokenParty } from './parties.ts'

const party = 'GitHub'

/** Fields of https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps */
const Token = z.object({ access_token: z.string().min(1) })
/** Fields of https://docs.github.com/en/rest/users/users#get-the-authenticated-user */
const Person = z.object({
  id: z.number().int().positive(),
  login: z.string().min(1),
  name: z.string().nullish(),
  email: z.string().nullish(),
})

/** Trades a code for the identity at GitHub. The number is kept, not the login name, which can change hands. */
export async function askGithub(
  code: string,
  { clientId, clientSecret }: PartyClient,
  { tokenUrl, userUrl }: TokenParty,
  outside: Outside,
): Promise<Identity> {
  const body = JSON.stringify({ client_id: clientId, client_secret: clientSecret, code })
  const headers = { accept: 'application/json', 'user-agent': 'tollgate' }
  const traded = Token.safeParse(
    await askParty(
      {
        party,
        method: 'POST',
        url: tokenUrl,
        headers: { ...headers, 'content-type': 'application/json' },
        body,
      },
      outside,
    ),
  )
  if (!traded.success) throw refuseIdentity('code_wrong', { party })
  const authorization = `Bearer ${traded.data.access_token}`
  const told = Person.safeParse(
    await askParty({ party, method: 'GET', url: userUrl, headers: { ...headers, authorization } }, outside),
  )
  if (!told.success) throw refuseIdentity('code_wrong', { party })
  const { id, login, name, email } = told.data
  return { id: String(id), formerId: login, name: name || login, email: (email ?? '').toLowerCase() }
}
