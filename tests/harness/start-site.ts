import type { AdminClient } from './api-client.ts'
import { type GatewayOptions, type RunningGateway, startGateway } from './start-gateway.ts'
import { type Lab, startLab } from './start-lab.ts'

/** A gateway and a lab, with root signed in. */
export interface Site {
  readonly gateway: RunningGateway
  readonly lab: Lab
  readonly root: AdminClient
  stop(): Promise<void>
}

export async function startSite(options: GatewayOptions = {}): Promise<Site> {
  const [gateway, lab] = await Promise.all([startGateway(options), startLab()])
  return {
    gateway,
    lab,
    root: await gateway.signInAsRoot(),
    async stop() {
      await Promise.all([gateway.stop(), lab.stop()])
    },
  }
}
