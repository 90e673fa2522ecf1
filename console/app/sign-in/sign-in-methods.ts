import type { Status } from '#contract/status.ts'
import { readStored, writeStored } from '../preferences/local-store.ts'

export type SignInMethod = 'github' | 'linuxdo' | 'wechat' | 'telegram'

const METHODS: ReadonlyArray<readonly [SignInMethod, (status: Status) => boolean]> = [
  ['github', status => status.github_oauth],
  ['linuxdo', status => status.linuxdo_oauth],
  ['wechat', status => status.wechat_login],
  ['telegram', status => status.telegram_oauth],
]

/** The identity providers that this installation has turned on. */
export const enabledMethods = (status: Status): readonly SignInMethod[] =>
  METHODS.filter(([, isOn]) => isOn(status)).map(([method]) => method)

export const lastMethod = (): string | undefined => readStored('login-method')
export const rememberMethod = (method: SignInMethod): void => void writeStored('login-method', method)

/** The invitation code of the link that the visitor opened, kept until an account is created. */
export const inviterCode = (): string => readStored('aff') ?? ''

export function rememberInviterCode(code: string): void {
  if (code !== '') writeStored('aff', code)
}
