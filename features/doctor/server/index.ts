import { type Command, defineFeature } from '#server/feature.ts'
import { createEcho } from './public-url/echo.ts'
import { watchStandbys } from './standby/watch-standbys.ts'
import { watchDisk } from './watch-disk.ts'

const doctor: Command = {
  summary: 'check port, disk, clock, database, key and network, and say what to mend',
  usage: `Usage: tollgate doctor [--json | --ready] [--url ADDRESS]

Checks what the gateway needs: settings, port, disk, files, database, standby, secret key, clock, hosts of channels
and trusted proxies. Says what to mend, in Chinese when LANG is. It may run beside the gateway. Exits with 1 when a check fails.

  --json           print the results as JSON
  --url ADDRESS    call the gateway at its public address instead, and say what the proxies between do to streams,
                   sockets, addresses of clients, bodies and connections
  --ready          check only whether the gateway on this machine is ready, for health checks of containers
`,
  takesArguments: true,
  run: async (args, context) => (await import('./doctor.ts')).doctor(args, context),
}

const verify: Command = {
  summary: 'recompute every balance from the postings and report the drift',
  usage: `Usage: tollgate verify

Recomputes every balance from the postings and prints what differs, and charges that only the journals of this machine know.
It may run beside the gateway.
Exits with 0 when the drift is 0, otherwise with 1.
`,
  takesArguments: false,
  run: async (_args, context) => (await import('./cli/verify.ts')).verify(context),
}

const upgrade: Command = {
  summary: 'say what the next start of this version does to the database',
  usage: `Usage: tollgate upgrade --check

Compares the database with this version and says what its first start would do and what to know before. Changes nothing.
Exits with 1 when this version cannot run on the database.
`,
  takesArguments: true,
  run: async (args, context) => (await import('./cli/upgrade.ts')).checkUpgrade(args, context),
}

export const feature = defineFeature({
  commands: { doctor, upgrade, verify },
  start(services) {
    const disk = watchDisk(services)
    return {
      routes: disk.routes,
      jobs: [...watchStandbys(services), ...disk.jobs],
      plainRoutes: createEcho(services),
    }
  },
})
