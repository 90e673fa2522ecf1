import { MutationCache, QueryClient } from '@tanstack/react-query'
import { toast } from '../../ui/overlays/toast.tsx'
import { CallError, errorText } from './call.ts'

const LIST_FRESH_MS = 30_000
const READ_TRIES_MAX = 2

/** Writes are never repeated. A failed one is said in a toast, unless its `meta.isQuiet` says that its form shows it. */
export const queryClient = new QueryClient({
  mutationCache: new MutationCache({
    onError: (error, _input, _context, mutation) => {
      if (isExpired(error) || mutation.meta?.isQuiet === true) return
      toast(error instanceof CallError && error.status === 405 ? 'info' : 'error', errorText(error))
    },
  }),
  defaultOptions: {
    queries: {
      staleTime: LIST_FRESH_MS,
      refetchOnWindowFocus: false,
      retry: (tries, error) => tries < READ_TRIES_MAX && isWorthRepeating(error),
    },
    mutations: { retry: false },
  },
})

const isExpired = (error: unknown): boolean => error instanceof CallError && error.failure === 'expired'

/** The network and the server's own failures may pass; a refusal stays one. */
const isWorthRepeating = (error: unknown): boolean =>
  error instanceof CallError &&
  (error.failure === 'offline' || error.failure === 'timeout' || error.status >= 502)
