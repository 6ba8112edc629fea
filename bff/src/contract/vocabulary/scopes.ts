/** The scope of meta-providers, as `GET /api/profile` names it. */
export const META_PROVIDER_SCOPE = "cnpl.meta_prestador";
