import { useEffect, useEffectEvent } from 'react'
import { getOauthState } from '#contract/accounts/oauth.ts'
import type { Status } from '#contract/status.ts'
import { call } from '../api/call.ts'
import { inviterCode, rememberMethod } from './sign-in-methods.ts'

type OauthMethod = 'github' | 'linuxdo'

const WINDOW_NAME = 'tollgate-sign-in'
const WINDOW_FEATURES = 'popup,width=620,height=760'

/** The provider's consent page. Sources: docs.github.com "Authorizing OAuth apps", connect.linux.do. */
export function authorizeAddress(method: OauthMethod, state: string, status: Status): string {
  if (method === 'github') {
    const query = { client_id: status.github_client_id, state, scope: 'user:email' }
    return `https://github.com/login/oauth/authorize?${new URLSearchParams(query)}`
  }
  const query = new URLSearchParams({ response_type: 'code', client_id: status.linuxdo_client_id, state })
  if (status.server_address) query.set('redirect_uri', `${status.server_address}/oauth/linuxdo`)
  return `https://connect.linux.do/oauth2/authorize?${query}`
}

/** Opens the provider's consent page in a popup, or in this window when the browser blocks popups. */
export async function startOauth(method: OauthMethod, status: Status): Promise<void> {
  const popup = window.open('', WINDOW_NAME, WINDOW_FEATURES)
  try {
    const state = await call(getOauthState, { query: { aff: inviterCode() || undefined } })
    const address = authorizeAddress(method, state, status)
    rememberMethod(method)
    if (popup) popup.location.href = address
    else window.location.assign(address)
  } catch (error) {
    popup?.close()
    throw error
  }
}

/** Whether this window is the popup of `startOauth` and its opener still exists. */
export const isSignInWindow = (): boolean => window.name === WINDOW_NAME && window.opener !== null

const BOUND_MESSAGE = 'tollgate-bound'

/** Tells the opener of this popup that the account was bound. */
export function notifyBound(): void {
  const opener: Window | null = window.opener
  opener?.postMessage(BOUND_MESSAGE, window.location.origin)
}

/** Runs `onBound` when a popup reports a bound account. Messages from other origins are ignored. */
export function useBoundMessage(onBound: () => void): void {
  const handleBound = useEffectEvent(onBound)
  useEffect(() => {
    const listen = ({ origin, data }: MessageEvent) => {
      if (origin === window.location.origin && data === BOUND_MESSAGE) handleBound()
    }
    window.addEventListener('message', listen)
    return () => window.removeEventListener('message', listen)
  }, [])
}

const SUBMITTED_KEY = 'handed-in'

/**
 * Whether this tab already submitted these callback parameters. A reload would submit a code that works only once.
 * Only the latest submission is kept.
 */
export const wasSubmitted = (callback: string): boolean => sessionStorage.getItem(SUBMITTED_KEY) === callback

export const markSubmitted = (callback: string): void => sessionStorage.setItem(SUBMITTED_KEY, callback)
