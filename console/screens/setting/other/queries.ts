import { useMutation } from '@tanstack/react-query'
import { getLatestRelease } from '#contract/options/options.ts'
import { call } from '../../../app/api/call.ts'

/** The server fetches the release, not the browser. */
export const useUpdateCheck = () =>
  useMutation({ meta: { isQuiet: true }, mutationFn: () => call(getLatestRelease, {}) })
