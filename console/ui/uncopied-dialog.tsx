import { useEffect, useRef } from 'react'
import { Button } from './button.tsx'
import { uncopiedText } from './copy-text.ts'
import { Dialog } from './dialog.tsx'
import { kitText } from './kit-text.ts'
import { useText } from './text.ts'
import { TextArea } from './text-area.tsx'

/** Shows a text that the browser refused to copy, ready to be copied by hand. */
export function UncopiedDialog({ text }: { readonly text: string }) {
  const t = useText(kitText)
  const field = useRef<HTMLTextAreaElement>(null)
  const close = () => uncopiedText.set(undefined)
  useEffect(() => field.current?.select(), [])
  return (
    <Dialog
      title={t('copyFailed')}
      onClose={close}
      initialFocus={field}
      width="normal"
      footer={<Button onClick={close}>{t('close')}</Button>}
    >
      <p className="mb-3 text-muted">{t('copyFailedHelp')}</p>
      <TextArea
        ref={field}
        readOnly
        isMono
        rows={4}
        value={text}
        aria-label={t('copy')}
        onFocus={event => event.target.select()}
      />
    </Dialog>
  )
}
