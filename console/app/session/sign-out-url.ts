import { readStored, writeStored } from '../preferences/local-store.ts'

/** Keeps where the browser goes after it has signed out here: the identity provider that signed it in. */
export const rememberSignOutUrl = (url: string | undefined): void => void writeStored('sign-out-url', url)

/** That address, once; only one of this gateway. */
export function takeSignOutUrl(): string | undefined {
  const url = readStored('sign-out-url')
  writeStored('sign-out-url', undefined)
  return url !== undefined && URL.parse(url)?.origin === window.location.origin ? url : undefined
}
