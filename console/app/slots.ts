import type { ComponentType } from 'react'
import type { z } from 'zod'
import type { User } from '#contract/entities/user.ts'
import type { Role } from '#contract/enums.ts'
import type { SectionId } from '#contract/options/sections.ts'
import type { Status } from '#contract/status.ts'
import type { Language } from '../ui/text/text.ts'

type Texts = Readonly<Record<Language, string>>
/** Called when the part is shown for the first time. */
type Load<Props = object> = () => Promise<ComponentType<Props>>

/** A view of the dashboard beside its overview. */
export interface DashboardPanel {
  /** Value of the search param `tab`. */
  readonly tab: string
  /** Position among the panels, in steps of ten. */
  readonly order: number
  readonly role: Role
  readonly title: Texts
  /** Search params that the panel adds to those of the dashboard. Every field has a default. */
  readonly search: z.ZodObject
  readonly load: Load
}

/** Replaces the fields of a section of the operation settings by an editor. */
export interface SectionEditor {
  readonly kind: 'editor'
  readonly section: SectionId
  readonly load: Load
}

/** A view that the editor of a section offers beside its own. */
export interface SectionView {
  readonly kind: 'view'
  readonly section: SectionId
  readonly id: string
  readonly title: Texts
  /** Options that are edited below the view. */
  readonly keys: readonly string[]
  readonly load: Load
}

export type SettingsSection = SectionEditor | SectionView

/** What helps to judge unsaved values of options: beside their editor, or in the review of all unsaved changes. */
export interface SaveAction {
  readonly keys: readonly string[]
  readonly step: 'edit' | 'review'
  readonly load: Load
}

/** What sections of a page are about: the user's own account, or the record whose page or sheet is open, by id. */
export interface SectionProps {
  readonly account: { readonly self: User }
  readonly token: { readonly id: number }
  readonly user: { readonly id: number }
  readonly channel: { readonly id: number }
  readonly redemption: { readonly id: number }
  readonly organization: { readonly id: number }
  readonly member: { readonly id: number }
  readonly project: { readonly id: number }
}

/** A section of the account or of a sheet. */
export interface SectionOf<Page extends keyof SectionProps> {
  readonly of: Page
  /** Least role of those who see it; everybody without one. */
  readonly role?: Role
  /** Anchor of the section. */
  readonly id: string
  /** Position on the page, in steps of ten. */
  readonly order: number
  readonly title: Texts
  readonly load: Load<SectionProps[Page]>
}

/** Ways to sign in without a password, as buttons below the form. */
export interface SignInButton {
  /** Whether the installation has turned any of them on. */
  readonly isOffered: (status: Status) => boolean
  readonly load: Load
}

/** The places of the console's own pages that features fill. A new place is a decision, not a line. */
export interface SlotFillings {
  readonly dashboardPanels: DashboardPanel
  readonly settingsSections: SettingsSection
  readonly saveActions: SaveAction
  readonly sections: { [Page in keyof SectionProps]: SectionOf<Page> }[keyof SectionProps]
  readonly signInButtons: SignInButton
}

export type Slots = { readonly [Name in keyof SlotFillings]?: ReadonlyArray<SlotFillings[Name]> }

/** Declares what a feature adds to pages of others. The console discovers it as `slots.tsx` of the feature's console. */
export const defineSlots = (slots: Slots): Slots => slots

/** The slots of a feature that adds one section to the account, with its other slots. */
export const accountSection = (section: Omit<SectionOf<'account'>, 'of'>, others?: Slots): Slots => ({
  ...others,
  sections: [{ of: 'account', ...section }],
})
