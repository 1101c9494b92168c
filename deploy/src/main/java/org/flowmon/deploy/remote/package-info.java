/** Other programs that are asked by HTTP: {@code flowmon serve}, collectors, Flink. */
@NullMarked
package org.flowmon.deploy.remote;

import org.jspecify.annotations.NullMarked;
