#!/bin/sh
# Pins the images of these files by digest: aapd:0.1.0 becomes aapd:0.1.0@sha256:…, as the registries answer it now. Run it in a copy
# of this folder, after the image of the release was pushed, and keep the result. It needs Docker with buildx.
#
#     ./pin-images.sh compose.yaml Containerfile kubernetes/*.yaml
set -eu

if [ $# -eq 0 ]; then
  echo "Name the files to pin." >&2
  exit 2
fi

# The images: after "image:" in YAML, and after FROM in a Containerfile. Those with a digest are left as they are.
images=$(sed -n -e 's/^ *image: *\([^ ]*\).*/\1/p' -e 's/^ *- *image: *\([^ ]*\).*/\1/p' -e 's/^FROM \([^ ]*\).*/\1/p' "$@" |
  grep -v '@sha256:' | sort -u)

for image in $images; do
  digest=$(docker buildx imagetools inspect --format '{{.Manifest.Digest}}' "$image")
  case $digest in
    sha256:????????????????????????????????????????????????????????????????) ;;
    *)
      echo "The registry gave no digest for $image." >&2
      exit 1
      ;;
  esac
  # An image name has only letters, digits and . _ - / : so that nothing but the dot needs a backslash.
  name=$(printf '%s' "$image" | sed 's/[.]/\\./g')
  for file in "$@"; do
    sed -e "s#\(image: *\)$name\( \|\$\)#\1$image@$digest\2#" -e "s#^\(FROM \)$name\( \|\$\)#\1$image@$digest\2#" "$file" >"$file.pinned"
    cat "$file.pinned" >"$file"
    rm "$file.pinned"
  done
  echo "$image@$digest"
done
