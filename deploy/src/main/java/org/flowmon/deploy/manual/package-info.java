/** What shells and {@code man} are told of the commands. */
@NullMarked
package org.flowmon.deploy.manual;

import org.jspecify.annotations.NullMarked;
