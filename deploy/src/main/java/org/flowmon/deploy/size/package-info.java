/** {@code flowmon size}: what a deployment needs, by figures measured on this build. */
@NullMarked
package org.flowmon.deploy.size;

import org.jspecify.annotations.NullMarked;
