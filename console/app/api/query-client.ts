import { MutationCache, QueryClient } from '@tanstack/react-query'
import { toast } from '../../ui/overlays/messages.tsx'
import { CallError, errorText, isReauthenticationDeclined } from './call.ts'
import { forgetStartAccount } from './start.ts'

const STALE_AFTER_MS = 30_000
const RETRIES_MAX = 2

/** Mutations are never retried. Failures show a toast unless `meta.isQuiet` is set, because their form shows them. */
export const queryClient = new QueryClient({
  mutationCache: new MutationCache({
    onSuccess: forgetStartAccount,
    onError: (error, _input, _context, mutation) => {
      if (isExpired(error) || isReauthenticationDeclined(error) || mutation.meta?.isQuiet === true) return
      toast(error instanceof CallError && error.status === 405 ? 'info' : 'error', errorText(error))
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: STALE_AFTER_MS,
      refetchOnWindowFocus: false,
      retry: (tries, error) => tries < RETRIES_MAX && isTransient(error),
    },
    mutations: { retry: false },
  },
})

const isExpired = (error: unknown): boolean => error instanceof CallError && error.failure === 'expired'

/** Network and gateway failures may pass; a rejection will not. */
const isTransient = (error: unknown): boolean =>
  error instanceof CallError &&
  (error.failure === 'offline' || error.failure === 'timeout' || error.status >= 502)
