/** A running {@code flowmon serve}, asked by commands. */
@NullMarked
package org.flowmon.deploy.remote;

import org.jspecify.annotations.NullMarked;
