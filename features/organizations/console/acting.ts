import { z } from 'zod'
import { callHandlers } from '#console/app/api/call.ts'
import { forgetStartAccount } from '#console/app/api/start.ts'
import { readStoredJson, writeStored, writeStoredJson } from '#console/app/preferences/local-store.ts'
import { acting, type Screen } from '#console/app/router/define-screen.ts'
import { currentUser, limitRole, onUserChange } from '#console/app/session/session.ts'
import { createStore, useStore } from '#console/ui/store.ts'
import { type Text, translatorOf } from '#console/ui/text/text.ts'
import type { AnyEndpoint } from '#contract/endpoint.ts'
import { ORGANIZATION_ROLES } from '#contract/enums.ts'

/** Here, since the other texts load with their parts. */
const text = {
  zh: { notServed: '您正在以组织“{name}”的身份操作，此页面不支持组织。' },
  en: {
    notServed: 'This page is for your own account. Switch from {name} to open it.',
  },
} satisfies Text

const t = translatorOf(text)

const Acting = z.object({
  id: z.number(),
  name: z.string(),
  /** The user's role when it was chosen. The server knows better. */
  role: z.enum(ORGANIZATION_ROLES),
  userId: z.number(),
})
type Acting = z.infer<typeof Acting>

const chosen = createStore<Acting | undefined>(undefined)

/** The organisation for which the user of this tab acts. */
export const currentOrganization = (): Acting | undefined => chosen.get()
export const useOrganization = (): Acting | undefined => useStore(chosen)

function mayOpen({ role, organization: least }: Pick<Screen, 'role' | 'organization'>): boolean {
  const own = chosen.get()?.role ?? 'owner'
  if (least === undefined) return role === 'visitor'
  return ORGANIZATION_ROLES.indexOf(own) >= ORGANIZATION_ROLES.indexOf(least)
}

const limit = { mayOpen, why: () => t('notServed', { name: chosen.get()?.name ?? '' }) }

/**
 * Names the organisation. Reading what serves none, and proving who one is, concern the person. Changing what serves none is
 * left to the server to refuse, so that nothing is changed in the wrong name.
 */
function actingHeaders({ method, organization, ...endpoint }: AnyEndpoint): Record<string, string> {
  const own = chosen.get()
  const isOfPerson = method === 'GET' || endpoint.isForEnrolment || endpoint.isCritical
  return own && (organization || !isOfPerson) ? { 'X-Tollgate-Organization': String(own.id) } : {}
}

/** Keeps the name of an organisation that was renamed. */
export function rememberOrganization(organization: Acting | undefined): void {
  if (organization) writeStoredJson('organization', organization)
  else writeStored('organization', undefined)
  chosen.set(organization)
}

/** Acts for an organisation from now on in this tab, or for nobody else. Whatever was loaded before is dropped. */
export function actFor(organization: Omit<Acting, 'userId'> | undefined): void {
  const userId = currentUser()?.id
  if (organization && userId === undefined) return
  rememberOrganization(organization && userId !== undefined ? { ...organization, userId } : undefined)
  acting.limit = organization && limit
  forgetStartAccount()
  limitRole(organization ? 'user' : 'root')
}

/** Continues to act as before the page was loaded. */
function restore(): void {
  const stored = Acting.safeParse(readStoredJson('organization')).data
  if (stored && stored.userId === currentUser()?.id) actFor(stored)
}

callHandlers.actingHeaders = actingHeaders
onUserChange(user => {
  if (chosen.get() && chosen.get()?.userId !== user?.id) actFor(undefined)
})
restore()
