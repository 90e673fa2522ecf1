import { featuresOf, optionsOf } from '../compose/features.ts'
import { loadFeatures } from '../compose/modules.ts'

/** The system options of the base and of all features. */
export const options = optionsOf(featuresOf(await loadFeatures()))
