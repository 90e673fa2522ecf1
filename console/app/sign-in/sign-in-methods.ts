import type { Status } from '#contract/status.ts'
import { readStored, writeStored } from '../local-store.ts'

export type SignInMethod = 'github' | 'linuxdo' | 'wechat' | 'telegram'

const ON: ReadonlyArray<readonly [SignInMethod, (status: Status) => boolean]> = [
  ['github', status => status.github_oauth],
  ['linuxdo', status => status.linuxdo_oauth],
  ['wechat', status => status.wechat_login],
  ['telegram', status => status.telegram_oauth],
]

/** The ways of signing in through another party that this installation has turned on. */
export const methodsOf = (status: Status): readonly SignInMethod[] =>
  ON.filter(([, isOn]) => isOn(status)).map(([method]) => method)

export const lastMethod = (): string | undefined => readStored('login-method')
export const keepMethod = (method: SignInMethod): void => writeStored('login-method', method)

/** Whoever sent this visitor, kept since their link was opened. */
export const inviterCode = (): string => readStored('aff') ?? ''

export function keepInviterCode(code: string): void {
  if (code !== '') writeStored('aff', code)
}
