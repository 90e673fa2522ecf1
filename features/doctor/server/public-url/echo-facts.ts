import { z } from 'zod'

/** How a request arrived at the gateway. */
export const EchoFacts = z.object({
  address: z.string(),
  is_secure: z.boolean(),
  base_path: z.string(),
  host: z.string(),
  forwarded_host: z.string(),
  forwarded_for: z.string(),
  upgrade: z.string(),
  connection: z.string(),
})
export type EchoFacts = z.infer<typeof EchoFacts>
