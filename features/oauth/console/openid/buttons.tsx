import { useQuery } from '@tanstack/react-query'
import { ShieldCheck } from 'lucide-react'
import { useState } from 'react'
import { errorText } from '#console/app/api/call.ts'
import { Button } from '#console/ui/buttons/buttons.tsx'
import { toast } from '#console/ui/overlays/messages.tsx'
import { buttonsQuery, goToProvider } from './queries.ts'
import { useOpenIdText } from './text.ts'

/** Buttons of the OpenID providers on the sign-in page. */
export function OpenIdButtons() {
  const t = useOpenIdText()
  const { data = [] } = useQuery(buttonsQuery)
  const [busy, setBusy] = useState<string>()
  const go = async (slug: string) => {
    setBusy(slug)
    try {
      await goToProvider(slug)
    } catch (error) {
      toast('error', errorText(error))
      setBusy(undefined)
    }
  }
  return (
    <>
      {data.map(({ slug, name }) => (
        <Button
          key={slug}
          size="large"
          icon={ShieldCheck}
          isBusy={busy === slug}
          className="w-full"
          onClick={() => void go(slug)}
        >
          {t('with', { name })}
        </Button>
      ))}
    </>
  )
}
