import type { AnyEndpoint } from '#contract/endpoint.ts'
import type { OrganizationRole } from '#contract/enums.ts'
import { inTransaction } from '#server/db/engine/database.ts'
import { adjustWallet } from '#server/ledger/adjust.ts'
import type { TestApp } from '#server/testing/open-test-app.ts'
import type { TestClient } from '#server/testing/test-client.ts'
import { addMembers } from '../../contract/members.ts'
import { createOrganization, joinOrganization } from '../../contract/organizations.ts'

export const headerOf = (id: number) => ({ 'x-tollgate-organization': String(id) })

/** A client whose calls are made for an organisation. */
export const actingFor = (client: TestClient, id: number): Pick<TestClient, 'call' | 'fetch'> => ({
  call: <E extends AnyEndpoint>(endpoint: E, input: Parameters<TestClient['call']>[1] = {}) =>
    client.call(endpoint, { ...input, headers: { ...input.headers, ...headerOf(id) } }),
  fetch: (path, init = {}, address) =>
    client.fetch(
      path,
      { ...init, headers: { ...Object.fromEntries(new Headers(init.headers)), ...headerOf(id) } },
      address,
    ),
})

/** Lets everybody create organisations. */
export const allowOrganizations = (app: TestApp) =>
  app.root.fetch('/api/option/', {
    method: 'PUT',
    body: JSON.stringify({ key: 'OrganizationCreators', value: 'everybody' }),
  })

export interface TestOrganization {
  readonly id: number
  readonly owner: Pick<TestClient, 'call' | 'fetch'>
  /** Invites a person, who joins. */
  add(
    person: TestClient,
    role?: OrganizationRole,
  ): Promise<Pick<TestClient, 'call' | 'fetch'> & { readonly memberId: number }>
  fund(units: number): Promise<void>
}

export async function openOrganization(
  app: TestApp,
  owner: TestClient,
  name = 'Acme',
): Promise<TestOrganization> {
  const created = await owner.call(createOrganization, { body: { name } })
  if (!created.success) throw new Error(created.message)
  const { id } = created.data
  const acting = actingFor(owner, id)
  return {
    id,
    owner: acting,
    async add(person, role = 'member') {
      const people = [{ name: `person ${person.id}`, email: '' }]
      const [seat] = (await acting.call(addMembers, { body: { people, role } })).data
      await person.call(joinOrganization, { body: { invitation: seat?.invitation ?? '' } })
      return { ...actingFor(person, id), memberId: seat?.id ?? 0 }
    },
    fund: units =>
      inTransaction(app.db, async tx => {
        const reason = { zh: '测试', en: 'test' }
        await adjustWallet(tx, { userId: id, amount: units, kind: 'gift', actorId: 0, reason, requestId: '' })
      }),
  }
}
