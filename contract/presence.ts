/**
 * That the account owner sits at the screen. `recent-sign-in`: the session signed in or reauthenticated lately, which a call
 * with an access token never proves. `recent-session`: the same of every session, while programs with an access token pass,
 * since nobody sits there to be asked, and only a recent sign-in creates such a token.
 */
export type Presence = 'recent-sign-in' | 'recent-session'

const RECENT_SESSION =
  'a session that signed in or reauthenticated within the last ten minutes; otherwise the code is `auth.recent_sign_in_required` (403).'

/** What the OpenAPI document says of calls that need presence. */
export const PRESENCE_DESCRIPTIONS: Readonly<Record<Presence, string>> = {
  'recent-sign-in': `Requires ${RECENT_SESSION}`,
  'recent-session': `Requires an access token, or ${RECENT_SESSION}`,
}
