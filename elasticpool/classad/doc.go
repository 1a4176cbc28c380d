// Package classad evaluates expressions of HTCondor's ClassAd language, so that a program can decide by itself what a
// job's RequestMemory is, which devices its RequireGPUs accepts, and whether its Requirements match a machine, also a
// machine that does not exist yet.
//
// # Use
//
// The output of condor_q -json and condor_status -json is read with encoding/json into a []Ad. Attributes are evaluated
// with Ad.Eval; expressions of one's own are read with Parse and evaluated with Expr.Eval:
//
//	var jobs, slots []classad.Ad // from json.Unmarshal
//	memory, ok := jobs[0].Eval("RequestMemory", classad.Ad{}).Int()
//	matches := jobs[0].Eval("Requirements", slots[0]).IsTrue() && slots[0].Eval("Requirements", jobs[0]).IsTrue()
//
// The ad of a machine that is only expected is made with Ad.Set, and devices are nested ads (Nested) in a list. A
// RequireGPUs is evaluated with the ad of one device as my.
//
// # Language
//
// It is the language of the chapter "ClassAd Mechanism" of HTCondor's manual in its present syntax ("new ClassAds"):
//
//   - integers of 64 bits, reals, strings in double quotes, true, false, undefined, error, lists { a,b }, ads
//     [ a = 1; b = 2 ], comments as in C++;
//   - names without regard to case, in single quotes when they are no words; MY.Name, TARGET.Name, parent.Name,
//     ad.Name, list[0], ad["name"];
//   - ?: and its short form a ?: b (b when a is undefined), || && | ^ & == != =?= (is) =!= (isnt) < <= > >= << >> >>>
//   - - * / % and the unary ! ~ + -, from the weakest to the strongest;
//   - the functions isUndefined, isError, isBoolean, isInteger, isReal, isString, isList, isClassAd, int, real, bool,
//     string, floor, ceiling (ceil), round, quantize, size, sum, min, max, member, identicalMember, strcat, toLower,
//     toUpper, strcmp, stricmp, regexp, stringListMember, stringListIMember, ifThenElse and countMatches.
//
// Evaluation has no side effects and depends on nothing but the two ads: there is no time() and no random(). Functions
// that are not in the list evaluate to the error value, and Expr.Unknown tells them beforehand.
//
// # Truth
//
// Operators are strict: with an error value they give the error value, else with an undefined one undefined. Not strict
// are =?= and =!=, which always are true or false for values that are no lists or ads; ?:, which evaluates only what it
// chooses; and && and ||, which have three truth values (here for &&; || is its mirror image):
//
//	left \ right   true        false   undefined   error
//	true           true        false   undefined   error
//	false          false       false   false       false
//	undefined      undefined   false   undefined   error
//	error          error       error   error       error
//
// Numbers are truths too (zero is false), strings are none. Strings are compared without regard to case by == and its
// like, with regard to case by =?=.
//
// # Exactness
//
// The package is held against tables that a real HTCondor 23.9.6 wrote (testdata/real). The known differences: an
// integer that does not fit 64 bits is refused here and is 0 there; regular expressions are Go's, so that look-around,
// back references and the option x are errors; an ad is printed with its attributes sorted; a real is printed with
// seventeen digits when sixteen are not enough. After a countMatches whose condition is the name of a missing attribute
// HTCondor forgets what names mean in the rest of the expression; this package does not.
//
// Two habits of HTCondor that surprise are kept: the names in a list are looked up where a function uses the list (but
// where it is written when it is subscripted), and a plain name in a nested ad is not looked up in TARGET, unless
// countMatches evaluates its condition there.
//
// # Limits
//
// Texts longer than 64 KiB or with more than 200 levels of nesting are refused. An evaluation that nests more than ten
// thousand nodes, as attributes that need each other do, or that takes more than half a million steps is the error
// value as a whole.
package classad
