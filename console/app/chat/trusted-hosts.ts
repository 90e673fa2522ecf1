import { z } from 'zod'
import { readStoredJson, writeStoredJson } from '../local-store.ts'

const trustedHosts = (): readonly string[] => z.array(z.string()).catch([]).parse(readStoredJson('key-hosts'))

/** Whether the reader has agreed in this browser that a host may be given keys. */
export const isTrustedHost = (host: string): boolean => trustedHosts().includes(host)

export const trustHost = (host: string): void => writeStoredJson('key-hosts', [...trustedHosts(), host])
