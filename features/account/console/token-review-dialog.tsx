import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { plainErrorText } from '#console/app/api/call.ts'
import { TimeText } from '#console/app/format/format.tsx'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { Banner } from '#console/ui/feedback/feedback.tsx'
import { Checkbox } from '#console/ui/forms/fields.tsx'
import { Dialog } from '#console/ui/overlays/dialog.tsx'
import { toast } from '#console/ui/overlays/messages.tsx'
import type { Token } from '#contract/entities/token.ts'
import { disableTokens, RECENT_TOKEN_DAYS } from './queries.ts'
import { usePersonalText } from './text.ts'

interface TokenReviewDialogProps {
  readonly tokens: readonly Token[]
  readonly onClose: () => void
}

/** Offers to disable tokens that somebody in a stolen session may have created: a new password does not end them. */
export function TokenReviewDialog({ tokens, onClose }: TokenReviewDialogProps) {
  const t = usePersonalText()
  const client = useQueryClient()
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set())
  const disable = useMutation({
    meta: { isQuiet: true },
    mutationFn: () => disableTokens([...selected]),
    onSuccess: () => {
      toast('success', t('reviewDone', { count: selected.size }))
      onClose()
    },
    onSettled: () => client.invalidateQueries({ queryKey: ['tokens'] }),
  })
  const toggle = (id: number) => setSelected(selected.symmetricDifference(new Set([id])))
  const isAll = selected.size === tokens.length
  return (
    <Dialog
      title={t('reviewTitle')}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('reviewKeep')}</Button>
          <Button
            variant="danger"
            disabled={selected.size === 0}
            isBusy={disable.isPending}
            onClick={() => disable.mutate()}
          >
            {t('reviewDisable', { count: selected.size })}
          </Button>
        </>
      }
    >
      <p className="mb-3 text-muted">{t('reviewText', { days: RECENT_TOKEN_DAYS })}</p>
      {disable.error && (
        <Banner tone="danger" isAlert>
          {plainErrorText(disable.error)}
        </Banner>
      )}
      <Checkbox
        checked={isAll}
        isMixed={selected.size > 0 && !isAll}
        onChange={() => setSelected(new Set(isAll ? [] : tokens.map(token => token.id)))}
      >
        {t('reviewAll')}
      </Checkbox>
      <ul className="mt-2 grid max-h-[40vh] divide-y divide-line overflow-y-auto border-t border-line">
        {tokens.map(({ id, name, created_time, accessed_time }) => (
          <li key={id} className="py-2">
            <Checkbox checked={selected.has(id)} onChange={() => toggle(id)}>
              <span className="font-medium">{name}</span>
              <span className="block text-small text-muted">
                {t('reviewCreated')} <TimeText unixSeconds={created_time} /> · {t('reviewUsed')}{' '}
                <TimeText unixSeconds={accessed_time} />
              </span>
            </Checkbox>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}
