import { ROLE } from '#contract/enums.ts'
import { requireManaged } from '#server/accounts/rank.ts'
import { tokenError } from '#server/accounts/tokens/errors.ts'
import { handle } from '#server/api/handle.ts'
import { everyMs } from '#server/core/clock.ts'
import { defineFeature } from '#server/feature.ts'
import { UNLIMITED } from '#server/relay/admission/admit.ts'
import { ADDRESSES_PER_TOKEN_MAX, listTokenAddresses } from '../contract.ts'
import { tokenAddresses } from '../migrations/0091-token-addresses.ts'
import { AddressBook } from './address-book.ts'
import { deleteAddressesOfUser, findTokenOwner, listAddresses } from './queries.ts'

const WRITE_INTERVAL_MS = 10_000

const createRoutes = (book: AddressBook) => [
  handle(listTokenAddresses, async ({ params: { id }, ...context }) => {
    const { db, caller } = context
    const owner = await findTokenOwner(db, id)
    // An ordinary user learns of no token of others whether it exists.
    if (owner === undefined || (owner !== caller.id && caller.role < ROLE.admin)) throw tokenError('unknown')
    await requireManaged(owner, context)
    await book.write()
    return listAddresses(db, id, ADDRESSES_PER_TOKEN_MAX)
  }),
]

export const feature = defineFeature({
  migrations: [tokenAddresses],
  on: { userDeleted: (tx, userId) => deleteAddressesOfUser(tx, userId) },
  start(services) {
    const book = new AddressBook(services)
    return {
      routes: createRoutes(book),
      relay: {
        admit({ caller: { token }, connection }) {
          if (token && !connection.isBackground) book.add(token.id, connection.clientIp())
          return Promise.resolve(UNLIMITED)
        },
      },
      jobs: [() => everyMs(WRITE_INTERVAL_MS, () => book.write())],
      stop: () => book.write(),
    }
  },
})
