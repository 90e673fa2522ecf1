import type { Presence } from '#contract/presence.ts'
import { apiErrors } from '../core/api-error.ts'
import { nowSeconds } from '../core/clock.ts'
import type { SessionControls } from './context.ts'

/** After this time a session alone no longer proves that the account owner sits at the screen. */
const RECENT_SECONDS = 10 * 60
const FORBIDDEN = 403

const recentSignInError = apiErrors(
  'auth',
  {
    recent_sign_in_required: {
      zh: '此操作需要验证身份，请先验证身份或重新登录',
      en: 'confirm it is you first; reauthenticate in this session, or sign in again',
    },
  },
  FORBIDDEN,
)

/** Whether this session signed in or reauthenticated within the last ten minutes. Never true for an access token. */
export const isSignInRecent = ({ authenticatedAt }: SessionControls): boolean =>
  authenticatedAt >= nowSeconds() - RECENT_SECONDS

/**
 * Guards whatever would let a stolen session or access token take the account over, and what would do most harm with it.
 * Throws `auth.recent_sign_in_required` (HTTP 403), after which the client reauthenticates and repeats the call.
 */
export function requirePresence(needs: Presence | undefined, session: SessionControls): void {
  if (needs === undefined || (needs === 'recent-session' && !session.exists)) return
  if (!isSignInRecent(session)) throw recentSignInError('recent_sign_in_required')
}

/** For calls that are guarded depending on what is stored: `handle` guards those whose contract says so. */
export const requireRecentSignIn = (session: SessionControls): void =>
  requirePresence('recent-sign-in', session)
