import { getManagedOwner } from '#server/accounts/tokens/managed-token.ts'
import { handle } from '#server/api/handle.ts'
import { defineFeature } from '#server/feature.ts'
import { UNLIMITED } from '#server/relay/admission/admit.ts'
import { ADDRESSES_PER_TOKEN_MAX, listTokenAddresses } from '../contract.ts'
import { tokenAddresses } from '../migrations/0091-token-addresses.ts'
import { AddressBook } from './address-book.ts'
import { deleteAddressesOfUser, listAddresses } from './queries.ts'

const createRoutes = (book: AddressBook) => [
  handle(listTokenAddresses, async ({ params: { id }, ...context }) => {
    await getManagedOwner(id, context)
    await book.write()
    return listAddresses(context.db, id, ADDRESSES_PER_TOKEN_MAX)
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
      jobs: [book.job],
      stop: () => book.write(),
    }
  },
})
