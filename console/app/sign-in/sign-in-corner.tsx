import { SunMoon } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { useLanguage, useText } from '../../ui/text.ts'
import { chooseLanguage } from '../language.ts'
import { chooseTheme, nextTheme } from '../theme.ts'
import { signInText } from './sign-in-text.ts'

/** Theme and language before anybody is signed in. */
export function SignInCorner() {
  const t = useText(signInText)
  const language = useLanguage()
  return (
    <div className="fixed top-3 right-3 flex items-center gap-1 coarse:gap-3">
      <IconButton label={t('themeSwitch')} icon={SunMoon} onClick={() => chooseTheme(nextTheme())} />
      <Button
        look="ghost"
        aria-label={t('languageSwitch')}
        lang={language === 'zh' ? 'en' : 'zh'}
        className="px-2.5! text-muted"
        onClick={() => chooseLanguage(language === 'zh' ? 'en' : 'zh')}
      >
        {t('languageShort')}
      </Button>
    </div>
  )
}
