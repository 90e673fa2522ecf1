import { accountSection } from '#console/app/slots.ts'

export const slots = accountSection(
  {
    id: 'factors',
    order: 63,
    title: { zh: '两步验证', en: 'Second factors' },
    load: async () => (await import('./section.tsx')).FactorsSection,
  },
  {
    signInButtons: [
      {
        // Passkeys are valid at one address only.
        isOffered: ({ server_address }) =>
          URL.canParse(server_address) && new URL(server_address).origin === window.location.origin,
        load: async () => (await import('./passkey-button.tsx')).PasskeyButton,
      },
    ],
  },
)
