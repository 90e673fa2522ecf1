import { PARTIES } from '../../server/integrations/parties.ts'

const address = process.env.LOCAL_PARTY
if (!address) throw new Error('expected LOCAL_PARTY to say where the party of the test is, found nothing')

/** Preloaded into the program: GitHub and LINUX DO then stand on this machine. */
for (const party of ['github', 'linuxdo'] as const)
  Object.assign(PARTIES[party], {
    tokenUrl: `${address}/${party}/token`,
    userUrl: `${address}/${party}/user`,
  })
