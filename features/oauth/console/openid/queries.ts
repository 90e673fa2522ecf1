import { queryOptions, useMutation, useQueryClient } from '@tanstack/react-query'
import { call } from '#console/app/api/call.ts'
import { inviterCode } from '#console/app/sign-in/sign-in-methods.ts'
import { listOwnOpenIdIdentities, unlinkOpenIdIdentity } from '../../contract/identities.ts'
import {
  createOpenIdProvider,
  createScimToken,
  deleteOpenIdProvider,
  deleteScimToken,
  listOpenIdButtons,
  listOpenIdProviders,
  type OpenIdProviderSettings,
  startOpenIdSignIn,
  testOpenIdProvider,
  updateOpenIdProvider,
} from '../../contract/openid.ts'

const PROVIDERS = ['openid-providers']
const LINKS = ['openid-links']
const BUTTONS_STALE_MS = 60_000

export const providersQuery = queryOptions({
  queryKey: PROVIDERS,
  queryFn: ({ signal }) => call(listOpenIdProviders, { signal }),
})

/** The providers that the sign-in page offers. */
export const buttonsQuery = queryOptions({
  queryKey: ['openid-buttons'],
  queryFn: ({ signal }) => call(listOpenIdButtons, { signal }),
  staleTime: BUTTONS_STALE_MS,
  meta: { isQuiet: true },
})

export const linksQuery = queryOptions({
  queryKey: LINKS,
  queryFn: ({ signal }) => call(listOwnOpenIdIdentities, { signal }),
})

/** Mutations. Each refreshes the list; forms display their own errors. */
export function useProviderMutations() {
  const client = useQueryClient()
  const onSettled = () => client.invalidateQueries({ queryKey: PROVIDERS })
  const create = useMutation({
    meta: { isQuiet: true },
    mutationFn: (body: OpenIdProviderSettings & { readonly slug: string }) =>
      call(createOpenIdProvider, { body }),
    onSettled,
  })
  const update = useMutation({
    meta: { isQuiet: true },
    mutationFn: ({ slug, ...body }: OpenIdProviderSettings & { readonly slug: string }) =>
      call(updateOpenIdProvider, { params: { slug }, body }),
    onSettled,
  })
  const remove = useMutation({
    mutationFn: (slug: string) => call(deleteOpenIdProvider, { params: { slug } }),
    onSettled,
  })
  const issueScimToken = useMutation({
    mutationFn: (slug: string) => call(createScimToken, { params: { slug } }),
    onSettled,
  })
  const endScim = useMutation({
    mutationFn: (slug: string) => call(deleteScimToken, { params: { slug } }),
    onSettled,
  })
  return { create, update, remove, issueScimToken, endScim }
}

export function useUnlink() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (slug: string) => call(unlinkOpenIdIdentity, { params: { slug } }),
    onSettled: () => client.invalidateQueries({ queryKey: LINKS }),
  })
}

/** Leaves the console for the provider, which redirects back. */
export async function goToProvider(slug: string): Promise<void> {
  const { url } = await call(startOpenIdSignIn, { params: { slug }, body: { aff: inviterCode() } })
  window.location.assign(url)
}

/** Leaves the console for a sign-in that only shows its claims. */
export async function testProvider(slug: string): Promise<void> {
  const { url } = await call(testOpenIdProvider, { params: { slug } })
  window.location.assign(url)
}
