#!/bin/sh
# `git` for a tool of a thread: runs commands that only read, and any command in a repository of the tool's own.
real=@REAL@
persons=@COMMON@
tree=@TREE@
tools=@TOOLS@

# Succeeds if `$verb` only reads. The first argument is the number of arguments before its own.
reads() {
    shift "$1"
    words=0 lists=0 skip=0
    case $verb in
        annotate | archive | blame | bundle | cat-file | check-attr | check-ignore | check-mailmap | check-ref-format) return 0 ;;
        cherry | clone | column | count-objects | describe | diff | diff-files | diff-index | diff-tree) return 0 ;;
        fmt-merge-msg | for-each-ref | format-patch | fsck | get-tar-commit-id | grep | help | interpret-trailers) return 0 ;;
        log | ls-files | ls-remote | ls-tree | mailinfo | mailsplit | merge-base | merge-file | merge-tree) return 0 ;;
        name-rev | patch-id | range-diff | rev-list | rev-parse | shortlog | show | show-branch | show-index) return 0 ;;
        show-ref | status | stripspace | var | verify-commit | verify-pack | verify-tag | version | whatchanged) return 0 ;;
        stash) case ${1-} in list | show) return 0 ;; esac ;;
        worktree | sparse-checkout) [ "${1-}" = list ] && return 0 ;;
        notes) case ${1-} in '' | list | show) return 0 ;; esac ;;
        submodule) case ${1-} in '' | status | summary) return 0 ;; esac ;;
        remote) case ${1-} in '' | show | get-url) return 0 ;; -v | --verbose) [ $# = 1 ] && return 0 ;; esac ;;
        reflog) case ${1-} in expire | delete | drop | write) return 1 ;; *) return 0 ;; esac ;;
        apply)
            for arg; do case $arg in --index | --cached | --3way | -3) return 1 ;; esac done
            return 0
            ;;
        hash-object)
            for arg; do [ "$arg" != -w ] || return 1; done
            return 0
            ;;
        update-index)
            for arg; do case $arg in --refresh | --really-refresh | -q) ;; *) return 1 ;; esac done
            return 0
            ;;
        symbolic-ref)
            for arg; do case $arg in -d | --delete | -m) return 1 ;; -*) ;; *) words=$((words + 1)) ;; esac done
            [ $words = 1 ] && return 0
            ;;
        branch | tag)
            for arg; do
                if [ $skip = 1 ]; then skip=0; continue; fi
                case $arg in
                    -l | --list | -n* | --contains* | --no-contains* | --merged* | --no-merged* | --points-at*) lists=1 ;;
                    --sort | --format) skip=1 ;;
                    -a | -r | -v | -vv | -av | -avv | -rv | -i | --all | --remotes | --verbose | --show-current) ;;
                    --color* | --no-color | --column* | --no-column | --sort=* | --format=* | --abbrev* | --ignore-case) ;;
                    -*) return 1 ;;
                    *) words=$((words + 1)) ;;
                esac
            done
            [ $lists = 1 ] || [ $words = 0 ] && return 0
            ;;
        config)
            case ${1-} in get | list) return 0 ;; set | unset | edit | rename-section | remove-section) words=2 ;; esac
            for arg; do
                if [ $skip = 1 ]; then skip=0; continue; fi
                case $arg in
                    # Files of the tool's own, or no file at all.
                    --get* | -l | --list | --global | -f | --file | --file=* | --blob | --blob=*) return 0 ;;
                    --add | --unset* | --replace-all | --rename-section | --remove-section | -e | --edit) return 1 ;;
                    --type | --default | --comment | --value) skip=1 ;;
                    -*) ;;
                    *) words=$((words + 1)) ;;
                esac
            done
            [ $words -le 1 ] && return 0
            ;;
        init)
            for arg; do
                if [ $skip = 1 ]; then skip=0; continue; fi
                case $arg in
                    -b | --initial-branch | --object-format | --ref-format | --template) skip=1 ;;
                    -*) ;;
                    # A folder of its own.
                    *) return 0 ;;
                esac
            done
            ;;
    esac
    return 1
}

# Asks git with the first `$1` of the further arguments, which are its global options.
ask() {
    count=$1 question=$2
    shift 2
    place=0 total=$#
    while [ $place -lt $total ]; do
        arg=$1
        shift
        [ $place -ge "$count" ] || set -- "$@" "$arg"
        place=$((place + 1))
    done
    "$real" "$@" rev-parse "$question" 2>/dev/null
}

# Succeeds if git finds the thread's tree from `$here`, and its `.git` is not the one for tools.
is_to_be_told() {
    [ "${GIT_DIR+set}" != set ] && [ $named = 0 ] || return 1
    if [ -f "$tree/.git" ]; then
        { read -r _ link <"$tree/.git"; } 2>/dev/null
        [ "$link" != "$tools" ] || return 1
    fi
    while [ "$here" != "$tree" ]; do
        # A repository of the tool's own, with or without files.
        [ -n "$here" ] && [ ! -e "$here/.git" ] || return 1
        [ ! -e "$here/HEAD" ] || [ ! -e "$here/objects" ] || [ ! -e "$here/refs" ] || return 1
        here=${here%/*}
    done
}

# Becomes git.
run() {
    # These make a repository of their own.
    case $verb in init | clone) [ $told = 0 ] || unset GIT_DIR GIT_WORK_TREE ;; esac
    exec "$real" "$@"
}

verb='' globals=0 option='' named=0 told=0 link='' here=$(pwd -P)
for arg; do
    if [ -n "$option" ]; then
        case $option in
            -C) [ -z "$arg" ] || here=$({ CDPATH='' && cd "$here" && cd "$arg" && pwd -P; } 2>/dev/null) ;;
            --git-dir | --work-tree) named=1 ;;
        esac
        option=''
    else
        case $arg in
            -C | -c | --git-dir | --work-tree | --namespace | --super-prefix | --config-env | --attr-source) option=$arg ;;
            --git-dir=* | --work-tree=* | --bare) named=1 ;;
            --version | -v | --help | -h | --exec-path | --html-path | --man-path | --info-path) exec "$real" "$@" ;;
            -*) ;;
            *) verb=$arg && break ;;
        esac
    fi
    globals=$((globals + 1))
done

if is_to_be_told; then
    told=1 GIT_DIR=$tools GIT_WORK_TREE=$tree
    export GIT_DIR GIT_WORK_TREE
fi
if [ -z "$verb" ] || reads $((globals + 2)) "$@"; then run "$@"; fi
case $(ask $globals --absolute-git-dir "$@") in
    "$persons" | "$persons"/*)
        # Below the top of a tree, `git init` makes a repository of its own.
        if [ "$verb" != init ] || [ -z "$(ask $globals --show-cdup "$@")" ]; then
            echo "error: \`git $verb\` is not available to tools of a thread; Rye commits the files that a tool changes" >&2
            exit 128
        fi
        ;;
esac
run "$@"
