import { getOauthState } from '#contract/oauth.ts'
import type { Status } from '#contract/status.ts'
import { call } from '../call.ts'
import { inviterCode, keepMethod } from './sign-in-methods.ts'

type OauthMethod = 'github' | 'linuxdo'

const WINDOW = 'tollgate-sign-in'
const LOOK = 'popup,width=620,height=760'

/** Where a party asks people whether they agree. Sources: docs.github.com "Authorizing OAuth apps", connect.linux.do. */
export function authorizeAddress(method: OauthMethod, state: string, status: Status): string {
  if (method === 'github') {
    const query = { client_id: status.github_client_id, state, scope: 'user:email' }
    return `https://github.com/login/oauth/authorize?${new URLSearchParams(query)}`
  }
  const query = new URLSearchParams({ response_type: 'code', client_id: status.linuxdo_client_id, state })
  if (status.server_address) query.set('redirect_uri', `${status.server_address}/oauth/linuxdo`)
  return `https://connect.linux.do/oauth2/authorize?${query}`
}

/** Opens the page of the party in a window of its own, or in this one where the browser blocks it. */
export async function beginOauth(method: OauthMethod, status: Status): Promise<void> {
  const opened = window.open('', WINDOW, LOOK)
  try {
    const state = await call(getOauthState, { query: { aff: inviterCode() || undefined } })
    const address = authorizeAddress(method, state, status)
    keepMethod(method)
    if (opened) opened.location.href = address
    else window.location.assign(address)
  } catch (error) {
    opened?.close()
    throw error
  }
}

/** Whether this is the window that `beginOauth` opened, with the page that opened it still there. */
export const isSignInWindow = (): boolean => window.name === WINDOW && window.opener !== null
