import { readFileSync } from 'node:fs'
import { addUser } from '../../harness/add-user.ts'
import type { AdminClient } from '../../harness/api-client.ts'
import { addLabChannel, addToken } from '../../harness/lab-channel.ts'
import { type Site, startSite } from '../../harness/start-site.ts'
import { MODEL, type PoorCall } from './poor-calls.ts'

const NS_PER_MS = 1e6
/** Calls from this machine have no budgets. */
export const ELSEWHERE = { 'x-forwarded-for': '203.0.113.9' }

/** A user of the attack. */
export interface Attacker {
  readonly client: AdminClient
  readonly key: string
}

/** A gateway with a channel. Calls that state an address are limited as those from other machines. */
export async function startAttackSite(): Promise<Site> {
  const site = await startSite({ environment: { TRUSTED_PROXIES: '127.0.0.1' } })
  await addLabChannel(site.root, site.lab, { provider: 'anthropic', models: [MODEL] })
  return site
}

export async function addAttacker(wallet: number, { gateway }: Site, username: string): Promise<Attacker> {
  const client = await addUser(gateway, { username, wallet })
  return { client, key: (await addToken(client)).key }
}

/** The processor time that the main thread of a process has taken. Linux only: proc(5), schedstat. */
export const mainThreadMs = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')[0]) / NS_PER_MS

/** Returns the status. */
export async function sendCall({ gateway }: Site, key: string, call: PoorCall): Promise<number> {
  const { method, path, headers, body } = call
  const response = await fetch(`${gateway.url}${path}`, {
    method,
    headers: { authorization: `Bearer sk-${key}`, 'content-type': 'application/json', ...headers },
    ...(body !== undefined && { body }),
    redirect: 'manual',
  })
  await response.arrayBuffer()
  return response.status
}
