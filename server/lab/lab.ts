import { openLab } from './open-lab.ts'

/** The lab as one handler of requests, for mounting under a path or serving alone. Its counters are those of the process. */
export const labFetch: (request: Request) => Promise<Response> = openLab().fetch
