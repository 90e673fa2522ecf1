import type { PeerAddress } from '../peers/options.ts'
import type { Candidate } from './candidate.ts'
import { findListeningProcess } from './listening-process.ts'

/** A gateway that the reader started. Throws when its process is not visible, because its CPU would be missing. */
export function atAddress({ name, url, key, model, pid }: PeerAddress): Candidate {
  const process = pid ?? findListeningProcess(portOf(new URL(url)))
  if (process === undefined)
    throw new Error(
      `no process of ${name} can be seen behind ${url}: add pid=NUMBER to --peer, or run as its user`,
    )
  return {
    name,
    pid: process,
    url,
    headers: { authorization: `Bearer ${key}` },
    ...(model !== undefined && { model }),
    stop: () => Promise.resolve(),
  }
}

const HTTP_PORT = 80
const portOf = ({ port }: URL): number => Number(port) || HTTP_PORT
