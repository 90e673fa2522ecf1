/** What `Secrets.hash` is asked for: one purpose per column, so that equal secrets in two columns never look equal. */
export const TOKEN_KEY_PURPOSE = 'token-key'
export const CHANNEL_KEY_PURPOSE = 'channel-key'
export const SESSION_PURPOSE = 'session'
export const ACCESS_TOKEN_PURPOSE = 'access-token'
export const REDEMPTION_PURPOSE = 'redemption'
export const MAIL_ADDRESS_PURPOSE = 'mail-address'
export const MAIL_CODE_PURPOSE = 'mail-code'
/** Of no column: signs the address at which a vendor tells of a task. */
export const TASK_NOTICE_PURPOSE = 'task-notice'
