#!/usr/bin/env bash
# Makes the tables of docs/accuracy.md: measure.sh MNIST CIFAR10 OUT [PART ...]
#   MNIST    a directory with the four IDX files
#   CIFAR10  a directory with train/<class>/*.jpg and test/<class>/*.jpg, or CIFAR-10's binary files
#   OUT      where models and results go; what is there already is not made again
#   PART     mnist-mlp, mnist-resnet, cifar-lenet, cifar-resnet, codes, noscope, scenes, game; all of them if none is given
set -euo pipefail

paritas=$(cd "$(dirname "$0")/../.." && pwd)/bin/paritas
mnist=mnist:$1
cifar=cifar10:$2
cifar_folder=$2
out=$3
shift 3
parts=("$@")
[ $# -gt 0 ] || parts=(mnist-mlp mnist-resnet cifar-lenet cifar-resnet codes noscope scenes game)

# train KIND NAME OPTION ...: unless it is there already.
train() {
    local kind=$1 name=$2
    shift 2
    # A checkpoint is there until all results are.
    if compgen -G "$out/$name/*-training.json" >/dev/null && ! compgen -G "$out/$name/*.checkpoint" >/dev/null; then
        return
    fi
    echo "== $name"
    "$paritas" train "$kind" --out "$out/$name" "$@"
}

# parity PART DATA EPOCHS CODE ...: parity models of the part's base model, from its weights and from fresh ones; a code is ENCODER-K
# or ENCODER-K-R.
parity() {
    local part=$1 data=$2 epochs=$3 code
    shift 3
    for code in "$@"; do
        local options=(--model "$out/$part/base/base.onnx" --data "$data" --epochs "$epochs")
        local encoder k r start weights
        IFS=- read -r encoder k r <<<"$code"
        case $encoder in
            concatenation) options+=(--encoder CONCATENATION) ;;
            distribution) options+=(--encoder CONCATENATION --target DISTRIBUTION) ;;
        esac
        for weights in MODEL FRESH; do
            start=$(tr '[:upper:]' '[:lower:]' <<<"$weights")
            train parity "$part/$start-$code" "${options[@]}" --k "$k" --r "${r:-1}" --start "$weights"
        done
    done
}

# folds PART DATA NETWORK OPTION ...: the original and its folds, trained alike, with batches of 32 images.
folds() {
    local part=$1 data=$2 network=$3 fold
    shift 3
    train base "$part/base" --network "$network" --init HE --data "$data" --batch 32 "$@"
    for fold in 2 3 4; do
        train folded "$part/fold-$fold" --model "$out/$part/base/base.onnx" --fold $fold --init HE --data "$data" \
            --batch $((32 / fold)) "$@"
    done
}

# Frames with a car or without: CIFAR-10's cars, and as many images of the other classes, at NoScope's 50×50 pixels.
frames() {
    local frames=$out/frames split class
    [ ! -d "$frames" ] || return 0
    for split in train test; do
        mkdir -p "$frames.new/$split/car" "$frames.new/$split/none"
        for class in "$cifar_folder/$split"/*; do
            local name
            name=$(basename "$class")
            local images=("$class"/*)
            if [ "$name" = automobile ]; then
                cp "${images[@]}" "$frames.new/$split/car/"
            else
                local image
                for image in "${images[@]:0:$((${#images[@]} / 9))}"; do
                    cp "$image" "$frames.new/$split/none/$name-$(basename "$image")"
                done
            fi
        done
    done
    mv "$frames.new" "$frames"
}

for part in "${parts[@]}"; do
    case $part in
        mnist-mlp)
            train base mnist-mlp/base --network mlp --data "$mnist" --epochs 60
            parity mnist-mlp "$mnist" 500 addition-{2,3,4} concatenation-{2,3,4} distribution-{2,4} addition-{2,3,4}-2 \
                concatenation-2-2
            ;;
        mnist-resnet)
            train base mnist-resnet/base --network resnet18-narrow --init HE --data "$mnist" --epochs 12 --decay-every 4
            parity mnist-resnet "$mnist" 30 addition-{2,3,4} concatenation-{2,4}
            ;;
        cifar-lenet)
            train base cifar-lenet/base --network lenet --data "$cifar" --epochs 20 --augment
            parity cifar-lenet "$cifar" 40 addition-{2,3,4} concatenation-{2,4}
            ;;
        cifar-resnet)
            train base cifar-resnet/base --network resnet18-narrow --init HE --data "$cifar" --limit 20000 --epochs 45 \
                --decay-every 15 --augment
            common=(--model "$out/cifar-resnet/base/base.onnx" --data "$cifar" --limit 20000 --augment)
            train parity cifar-resnet/addition-2 "${common[@]}" --k 2 --epochs 25
            epochs=([2]=25 [3]=40 [4]=50)
            for k in 2 3 4; do
                train parity cifar-resnet/concatenation-$k "${common[@]}" \
                    --k $k --encoder CONCATENATION --epochs "${epochs[$k]}"
            done
            ;;
        codes)
            train base mnist-mlp/base --network mlp --data "$mnist" --epochs 60
            common=(--model "$out/mnist-mlp/base/base.onnx" --data "$mnist")
            for k in 2 5; do
                for loss in MSE_BASE KL_BASE XENT_LABEL; do
                    train code "codes/mlp-$k-$loss" "${common[@]}" \
                        --k $k --encoder MLP --loss $loss --epochs 500
                done
            done
            for loss in MSE_BASE KL_BASE XENT_LABEL; do
                for images in 1800 3600; do
                    train code "codes/mlp-2-$loss-$images" "${common[@]}" \
                        --k 2 --encoder MLP --loss $loss --epochs 500 --limit $images
                done
            done
            train code codes/mlp-2-2-MSE_BASE "${common[@]}" \
                --k 2 --r 2 --encoder MLP --loss MSE_BASE --epochs 30
            train code codes/conv-2-MSE_BASE "${common[@]}" \
                --k 2 --encoder CONV --loss MSE_BASE --epochs 500 --threads 2
            ;;
        noscope)
            frames
            folds noscope "images:$out/frames,size=50x50,resize=nearest" noscope-n2 --limit 5000 --epochs 50 \
                --optimizer RMSPROP --learning-rate 6.67e-4 --weight-decay 0
            ;;
        scenes)
            options=(--optimizer RMSPROP --learning-rate 6.67e-4 --weight-decay 0)
            train base scenes/base --network noscope-n2 --init HE --data scenes --batch 32 --epochs 20 "${options[@]}"
            folds scenes scenes noscope-n2 --epochs 40 "${options[@]}"
            ;;
        game)
            glyphs=glyphs:count=12000,classes=36,side=24
            train base game/base --network game-v1 --init HE --data $glyphs --batch 32 --epochs 60 --learning-rate 5e-4
            # All classes are there from the middle of each training on.
            for fold in 2 3 4; do
                every=$((fold == 2 ? 15 : 30))
                train folded game/fold-$fold --model "$out/game/base/base.onnx" --fold $fold --init HE --data $glyphs \
                    --batch $((32 / fold)) --epochs $((20 * every)) --curriculum $every --learning-rate 5e-4
            done
            # EfficientNet's way to be faster: smaller images, too.
            train base game/scaled-down --network game-scaled-down --init HE --data glyphs:count=12000,classes=36,side=21 \
                --batch 32 --epochs 30 --learning-rate 5e-4
            ;;
        *)
            echo "measure.sh: no part '$part'" >&2
            exit 2
            ;;
    esac
done
