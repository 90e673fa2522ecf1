import { useMutation } from '@tanstack/react-query'
import type { UseFormReturn } from 'react-hook-form'
import { testUnsavedChannel } from '#contract/channel-checks.ts'
import type { Channel, ChannelType } from '#contract/channels.ts'
import { callWhole } from '../../../app/call.ts'
import { plainErrorText } from '../../../app/call-error.ts'
import { useText } from '../../../ui/text.ts'
import { toast } from '../../../ui/toast.ts'
import { type ChannelFormValues, draftOf } from './form-values.ts'
import { sheetText } from './sheet-text.ts'

interface UnsavedTestInput {
  readonly form: UseFormReturn<ChannelFormValues>
  readonly types: ReadonlyMap<number, ChannelType>
  /** Undefined for a new channel. */
  readonly stored: Channel | undefined
}

/** As long as the server waits for the vendor, and a little more. */
const TEST_MS_MAX = 70_000

/** Sends a small request with what the form says, before it is saved. A blank key is the stored channel's. */
export function useUnsavedTest({ form, types, stored }: UnsavedTestInput) {
  const t = useText(sheetText)
  const test = useMutation({
    meta: { isQuiet: true },
    mutationFn: async () => {
      const draft = draftOf(form.getValues(), types)
      const body = { ...draft, model: '', stream: false, ...(stored && { copy_from: stored.id }) }
      const { beside } = await callWhole(testUnsavedChannel, { body, timeoutMs: TEST_MS_MAX })
      return beside.time
    },
    onSuccess: seconds => toast('success', t('testPassed', { seconds })),
    onError: error => toast('error', plainErrorText(error)),
  })
  const testWhenValid = async () => {
    if (await form.trigger()) test.mutate()
  }
  return { test: () => void testWhenValid(), isTesting: test.isPending }
}
