// Colours of what is drawn over the picture, by theme.
import type { ThemeName } from '../../scene/theme'
import type { Ink } from './overlay'

export const inks: Record<ThemeName, Ink> = {
  light: {
    halo: 'rgba(255,255,255,0.85)',
    accent: '#1f5fae',
    reactions: '#c02537',
    forces: '#7a4a00',
    velocities: '#127a4b',
    accelerations: '#6b3fc0',
    touches: '#0e7490',
    pull: '#c2410c',
  },
  dark: {
    halo: 'rgba(14,18,24,0.8)',
    accent: '#6fb0ff',
    reactions: '#ff7a86',
    forces: '#f2c14e',
    velocities: '#63d69b',
    accelerations: '#b99bff',
    touches: '#5cd3e8',
    pull: '#ffa057',
  },
}
